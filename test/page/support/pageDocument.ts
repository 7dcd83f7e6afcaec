// The document of a page as the extension makes it, for a page that is served on loopback.
import { randomBytes } from 'node:crypto';
import { createPageHtml } from '../../../src/webview/common/pageHtml';

/** `folder` is where `page.js` and `page.css` are, like `http://127.0.0.1:1234/1`. */
export function pageDocument(folder: string, data: Readonly<Record<string, string>>): string {
  const sources = {
    script: `${folder}/page.js`,
    style: `${folder}/page.css`,
    cspSource: new URL(folder).origin,
    nonce: randomBytes(18).toString('base64'),
  };
  return createPageHtml(sources, { title: 'Backline', data });
}
