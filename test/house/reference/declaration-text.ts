import ts from "typescript59";

/** A declaration as its author wrote it, without bodies, values and what is not for everybody. Of some classes, users have the type alone. */
export function declarationText(node: ts.Declaration, isTypeOnly: boolean): string {
  if (ts.isClassDeclaration(node)) return classText(node, isTypeOnly);
  if (ts.isVariableDeclaration(node)) {
    return `const ${node.name.getText()}: ${node.type?.getText() ?? node.initializer?.getText() ?? "unknown"}`;
  }
  return withoutBody(node).replace(/^export (?:async )?/, "");
}

function classText(node: ts.ClassDeclaration, isTypeOnly: boolean): string {
  const source = node.getSourceFile().text;
  const head = source.slice(node.getStart(), node.members.pos).replace(/^export /, "");
  const members = node.members
    .filter((member) => isPublic(member) && !(isTypeOnly && ts.isConstructorDeclaration(member)))
    .map((member) => `${indentOf(member)}${commented(member)}`);
  return `${head.trimEnd()}\n${members.join("\n\n")}\n}`;
}

function isPublic(member: ts.ClassElement): boolean {
  const isHidden =
    ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected);
  const isNamed = member.name !== undefined && !ts.isPrivateIdentifier(member.name);
  const isInternal = ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal");
  return !isHidden && !isInternal && (isNamed || ts.isConstructorDeclaration(member));
}

function commented(member: ts.ClassElement): string {
  const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  const text = withoutBody(member).replace(/^((?:static |override )*)(?:async )?\*?/, "$1");
  return comment ? `${comment.getText()}\n${indentOf(member)}${text}` : text;
}

function indentOf(node: ts.Node): string {
  const source = node.getSourceFile();
  const { character } = source.getLineAndCharacterOfPosition(node.getStart());
  return " ".repeat(character);
}

function withoutBody(node: ts.Node): string {
  const source = node.getSourceFile().text;
  const start = node.getStart();
  if (ts.isPropertyDeclaration(node) && node.initializer) {
    const end = (node.type ?? node.name).end;
    return `${source.slice(start, end)};`;
  }
  if (ts.isFunctionLike(node) && "body" in node && node.body) {
    return `${source.slice(start, node.body.pos).trimEnd()};`;
  }
  return source.slice(start, node.end);
}
