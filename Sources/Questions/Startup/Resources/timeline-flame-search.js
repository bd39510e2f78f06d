byId("search").addEventListener("input", event => { look(event.target.value); flame.draw(); });
