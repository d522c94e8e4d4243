export { whenOver } from "../../support/when-over.ts";
