"""Write the files that users keep, atomically."""
