import { escapeHtml } from '../../base/common/escapeHtml';

/** Where a page's files are, as the page loads them. */
interface PageSources {
  readonly script: string;
  readonly style: string;
  /** From where styles and fonts may come, as the policy names it. */
  readonly cspSource: string;
  /** Base64, another one for each document. */
  readonly nonce: string;
}

/**
 * The document of a page: one script and one style sheet of ours, images as data, nothing from anywhere else. `data` is
 * given to the page as attributes of its body, `data-…`.
 */
export function pageHtml(
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
