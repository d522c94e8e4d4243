export const support = { name: "support" };
export const helpers = [];
