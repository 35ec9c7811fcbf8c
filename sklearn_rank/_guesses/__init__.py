"""What people of other libraries probably mean by names that do not exist here."""
