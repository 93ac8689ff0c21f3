"""Makes the generated parts of the clients from the OpenAPI document."""
