/** The last gate: whatever the parser made of an answer, only these elements and attributes reach the page. */
import DOMPurify, { type Config } from 'dompurify';

const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code', 'ul', 'ol', 'li', 'div', 'span', 'a'],
    ...['strong', 'em', 's', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img'],
  ],
  ALLOWED_ATTR: [
    ...['class', 'title', 'alt', 'src', 'start', 'role', 'tabindex', 'aria-label'],
    ...['data-target', 'data-line', 'data-language', 'data-path'],
  ],
  // They are no addresses to a browser: what they may hold is decided by `linkTarget`.
  ADD_URI_SAFE_ATTR: ['data-target', 'data-path', 'data-language'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  KEEP_CONTENT: true,
  RETURN_DOM_FRAGMENT: true,
} as const;
/** DOMPurify's types want arrays that can be changed. */
const config = {
  ...allowed,
  ALLOWED_TAGS: [...allowed.ALLOWED_TAGS],
  ALLOWED_ATTR: [...allowed.ALLOWED_ATTR],
  ADD_URI_SAFE_ATTR: [...allowed.ADD_URI_SAFE_ATTR],
} satisfies Config;

/** SVG is not among them: it is a document of its own. */
const rasterImage = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]+$/i;

export function isRasterImage(uri: string): boolean {
  return rasterImage.test(uri);
}

export function sanitized(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, config);
  for (const image of fragment.querySelectorAll('img')) if (!isRasterImage(image.src)) image.remove();
  return fragment;
}
