import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript59";
import { ROOT } from "../house-copy.ts";
import { declarationText } from "./declaration-text.ts";

/** What one import of the package gives. */
export interface Entry {
  /** As it is imported: `turnkeep/http`. */
  readonly name: string;
  /** The name of its page, without `.md`. */
  readonly page: string;
  readonly items: readonly Item[];
}

export type Kind = "Functions" | "Classes" | "Interfaces" | "Types" | "Constants";

/** One exported name. */
export interface Item {
  readonly name: string;
  readonly kind: Kind;
  readonly doc: string;
  readonly throws: readonly string[];
  /** As it is declared, without bodies and without what is private. */
  readonly text: string;
  /** Names of types that its declaration speaks of. */
  readonly speaksOf: readonly string[];
  /** Where it is declared, in `src`. */
  readonly file: string;
}

const KINDS: readonly (readonly [ts.SymbolFlags, Kind])[] = [
  [ts.SymbolFlags.Function, "Functions"],
  [ts.SymbolFlags.Class, "Classes"],
  [ts.SymbolFlags.Interface, "Interfaces"],
  [ts.SymbolFlags.TypeAlias, "Types"],
  [ts.SymbolFlags.Variable, "Constants"],
];

/** The entry points of package.json, as the types and doc comments of the sources tell of them. */
export function readEntries(): readonly Entry[] {
  const files = sourcesOfExports();
  const program = ts.createProgram([...files.values()], compilerOptions());
  const checker = program.getTypeChecker();
  return [...files].map(([name, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const exported = module ? checker.getExportsOfModule(module) : [];
    const items = exported.flatMap((symbol) => findItem(symbol, checker));
    const page = name.split("/").slice(1).join("-") || name;
    return {
      name,
      page,
      items: items.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    };
  });
}

function sourcesOfExports(): ReadonlyMap<string, string> {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };
  return new Map(
    Object.entries(exports).flatMap(([subpath, target]) =>
      typeof target === "string"
        ? []
        : [[subpath.replace(/^\./, name), join(ROOT, target["@turnkeep/source"] ?? "")] as const],
    ),
  );
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), (file) =>
    ts.sys.readFile(file),
  ) as {
    readonly config: { readonly compilerOptions: unknown };
  };
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT).options;
}

// What is marked as internal is exported for other rooms, and none of the users' business.
function findItem(exported: ts.Symbol, checker: ts.TypeChecker): readonly Item[] {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const [, kind] = KINDS.find(([flag]) => (symbol.flags & flag) !== 0) ?? [];
  const declarations = symbol.declarations ?? [];
  const [first] = declarations;
  if (kind === undefined || first === undefined) throw new Error(`What is ${exported.name}?`);
  const tags = symbol.getJsDocTags(checker);
  if (tags.some((tag) => tag.name === "internal")) return [];
  const item = {
    name: exported.name,
    kind,
    doc: plain(symbol.getDocumentationComment(checker)),
    throws: tags.filter((tag) => tag.name === "throws").map((tag) => plain(tag.text)),
    text: declarations
      // Of overloads, callers do not see the one that does the work.
      .filter(
        (one, _, all) => !(all.length > 1 && ts.isFunctionLike(one) && "body" in one && one.body),
      )
      .map((one) => declarationText(one, isTypeOnly(exported)))
      .join("\n\n"),
    speaksOf: [...new Set(declarations.flatMap((one) => typesIn(one)))],
    file: relative(join(ROOT, "src"), first.getSourceFile().fileName),
  };
  return [item];
}

function isTypeOnly({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(ts.isTypeOnlyExportDeclaration);
}

function plain(parts: ts.SymbolDisplayPart[] = []): string {
  return ts.displayPartsToString(parts).replaceAll(/\{@link (\w+)\}/g, "`$1`");
}

function typesIn(node: ts.Node): readonly string[] {
  const names: string[] = [];
  const visit = (child: ts.Node): void => {
    // What is inside of bodies is nobody's business.
    if (ts.isBlock(child)) return;
    if (ts.isTypeReferenceNode(child) || ts.isExpressionWithTypeArguments(child)) {
      names.push((ts.isTypeReferenceNode(child) ? child.typeName : child.expression).getText());
    }
    ts.forEachChild(child, visit);
  };
  visit(node);
  return names;
}
