# needs: fastapi httpx
from sklearn_rank.recommenders import ItemNeighborsRecommender, save_model

log = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk"), ("bob", "cake")]
save_model(ItemNeighborsRecommender().fit(log), "neighbors.model")

# recipe
from fastapi import FastAPI

from sklearn_rank.recommenders import load_model

model = load_model("neighbors.model")  # once, when the process starts
app = FastAPI()


@app.get("/users/{user}")
def recommend(user: str, k: int = 10) -> list[str]:
    return model.recommend([user], k=k)[0].tolist()


# end


from fastapi.testclient import TestClient

assert TestClient(app).get("/users/ann?k=1").json() == ["cake"]
