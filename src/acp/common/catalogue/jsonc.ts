/** Parses JSON with comments and trailing commas, as in VS Code's settings. @throws SyntaxError */
export function parseJsonc(text: string): unknown {
  // Strings are matched first, so that their contents are not mistaken for comments or commas.
  const token = /"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*[\]}])/g;
  return JSON.parse(text.replace(/^\ufeff/, '').replace(token, (found) => (found.startsWith('"') ? found : ' ')));
}
