"""Why lines were declined: values, whose sentences are templates."""
