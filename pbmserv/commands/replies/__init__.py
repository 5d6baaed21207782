"""What commands that were carried out say: values, whose sentences are templates."""
