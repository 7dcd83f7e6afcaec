/** Nothing is loaded, run or sent: the document is what a model has written. */
const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Returns a file in which a browser shows the HTML of an answer without network and without scripts. */
export function htmlViewFile(html: string): string {
  // The policy comes first. A second doctype, <html> and <head> of the document itself are merged or ignored.
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">\n${withoutRefresh(html)}`;
}

/** A policy does not stop a document that leaves for another address by itself. */
function withoutRefresh(html: string): string {
  return html.replace(/http-equiv/gi, 'data-http-equiv');
}
