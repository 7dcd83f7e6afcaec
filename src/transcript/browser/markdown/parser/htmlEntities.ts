/**
 * Replaces the package `entities` in pages: the browser decodes the references that markdown-it has recognized, without
 * a table of names.
 */

/** Decodes complete references (`&name;`, `&#…;`). */
export function decodeHTMLStrict(text: string): string {
  return text.replace(/&(?:#[0-9a-z]+|[0-9a-z]+);/gi, decodeReference);
}

function decodeReference(reference: string): string {
  const element = document.createElement('p');
  element.innerHTML = reference;
  const decoded = element.textContent;
  // Browsers also decode `&not` at the start of `&notit;`.
  return decoded.length > 1 && decoded.endsWith(';') ? reference : decoded;
}
