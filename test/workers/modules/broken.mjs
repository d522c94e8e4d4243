throw new Error("The module is broken.");
