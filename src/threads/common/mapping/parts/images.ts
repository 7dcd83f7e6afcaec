import * as z from 'zod/mini';
import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Attachment, Part } from '../../../../transcript/common/entries';
import { baseName } from '../../model/fileUriPath';
import { optionalIgnoringInvalid } from '../../model/threadSchema';
import { plainText } from './mapped';

/** The maximum length of a shown image in base64 characters. Larger images are only named. */
const maxImageUnits = 8 * 1024 * 1024;
const supportedTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const text = optionalIgnoringInvalid(z.string());
/** The key names differ between Amp, model providers and MCP. */
const Source = z.object({
  type: text,
  mediaType: text,
  media_type: text,
  mimeType: text,
  data: text,
  url: text,
});

/** Returns undefined for an unknown source. Images at a URL are never loaded, only linked. */
export function imagePart(source: unknown, title?: string): Part | undefined {
  const parsed = Source.safeParse(source).data;
  if (parsed?.data !== undefined) {
    return inlineImagePart(parsed.mediaType ?? parsed.media_type ?? parsed.mimeType ?? 'image/png', parsed.data, title);
  }
  return parsed?.url === undefined ? undefined : imageLink(parsed.url);
}

/** `data` is base64 or a data URI. */
export function inlineImagePart(mimeType: string, data: string, title?: string): Part {
  const uri = /^data:([\w/+.-]+);base64,/.exec(data);
  const base64 = uri ? data.slice(uri[0].length) : data;
  const type = (uri?.[1] ?? mimeType).toLowerCase();
  const name = title === undefined ? 'Image' : `Image ${title}`;
  if (!supportedTypes.has(type)) return plainText(`${name} has an unsupported type (${type}).`);
  if (base64.length > maxImageUnits) return plainText(`${name} is too large to show (${megabytes(base64.length)} MB).`);
  if (base64 === '') return plainText(`${name} is not in the file.`);
  return { type: 'image', mimeType: type, data: base64, ...withoutUndefined({ title }) };
}

/** The link has no title, because a file path as its title would hide where it leads. */
export function imageLink(url: string): Part {
  return /^data:/i.test(url) ? inlineImagePart('image/png', url) : { type: 'link', uri: url };
}

/** Returns undefined for a link or a text, which is not shown as an attachment. */
export function imageAttachment(part: Part, path?: string): Attachment | undefined {
  if (part.type !== 'image') return undefined;
  return {
    kind: 'image',
    title: path === undefined ? 'Image' : baseName(path),
    ...withoutUndefined({ path }),
    image: { mimeType: part.mimeType, data: part.data },
  };
}

function megabytes(units: number): string {
  return ((units * 0.75) / 1e6).toFixed(1);
}
