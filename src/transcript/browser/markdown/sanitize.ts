/** Removes everything from rendered answers that is not in a list of allowed elements and attributes. */
import DOMPurify, { type Config } from 'dompurify';

const allowList = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code', 'ul', 'ol', 'li', 'div', 'span', 'a'],
    ...['strong', 'em', 's', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img'],
  ],
  ALLOWED_ATTR: [
    ...['class', 'title', 'alt', 'src', 'start', 'role', 'tabindex', 'aria-label'],
    ...['data-target', 'data-line', 'data-column', 'data-language', 'data-path'],
  ],
  // Browsers do not follow these attributes. `linkTarget` validates them.
  ADD_URI_SAFE_ATTR: ['data-target', 'data-path', 'data-language'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  KEEP_CONTENT: true,
  RETURN_DOM_FRAGMENT: true,
} as const;
/** Not read-only, because DOMPurify's types require mutable arrays. */
const purifyConfig = {
  ...allowList,
  ALLOWED_TAGS: [...allowList.ALLOWED_TAGS],
  ALLOWED_ATTR: [...allowList.ALLOWED_ATTR],
  ADD_URI_SAFE_ATTR: [...allowList.ADD_URI_SAFE_ATTR],
} satisfies Config;

/** Matches images in data URIs. Excludes SVG, which may contain scripts. */
const rasterImage = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]+$/i;

export function isRasterImage(uri: string): boolean {
  return rasterImage.test(uri);
}

export function sanitizeHtml(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, purifyConfig);
  for (const image of fragment.querySelectorAll('img')) if (!isRasterImage(image.src)) image.remove();
  return fragment;
}
