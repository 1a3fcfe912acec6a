return { { copy = "o", from = "b" } }
