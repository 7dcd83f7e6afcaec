import { escapeHtml } from '../../base/common/text/escapeHtml';

interface PageSources {
  readonly script: string;
  readonly style: string;
  /** Origin of styles and fonts that the content security policy allows. */
  readonly cspSource: string;
  /** A random value in base64. It must be different for each document. */
  readonly nonce: string;
}

/**
 * Returns the HTML document of a page. The page may only load its own script and style sheet, scripts to
 * which its script gives the nonce, and images as data URIs.
 * `data` is in the `data-…` attributes of its body.
 */
export function createPageHtml(
  { script, style, cspSource, nonce }: PageSources,
  { title, data = {} }: { title: string; data?: Readonly<Record<string, string>> },
): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `img-src data:`,
    `font-src ${cspSource}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${style}">
</head>
<body${attributes.join('')}>
<div id="root"></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
