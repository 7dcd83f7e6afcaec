import * as z from 'zod/mini';
import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Attachment, Part } from '../../../../transcript/common/entries';
import { baseName } from '../../model/fileUriPath';
import { optionalIgnoringInvalid } from '../../model/threadSchema';
import { plainTextPart } from './entryWithRawJson';

/** Maximum length of a shown image, in base64 characters. Only the names of larger images are shown. */
const maxImageUnits = 8 * 1024 * 1024;
const supportedTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const text = optionalIgnoringInvalid(z.string());
/** The source of an image. The names of keys differ between Amp, model providers and MCP. */
const Source = z.object({
  type: text,
  mediaType: text,
  media_type: text,
  mimeType: text,
  data: text,
  url: text,
});

/** Returns a part for an image. Undefined for an unknown source. Images at a URL are only linked and never loaded. */
export function imagePart(source: unknown, title?: string): Part | undefined {
  const parsed = Source.safeParse(source).data;
  if (parsed?.data !== undefined) {
    return inlineImagePart(parsed.mediaType ?? parsed.media_type ?? parsed.mimeType ?? 'image/png', parsed.data, title);
  }
  return parsed?.url === undefined ? undefined : imageLink(parsed.url);
}

/** Returns a part for an image. `data` is base64 or a data URI. */
export function inlineImagePart(mimeType: string, data: string, title?: string): Part {
  const uri = /^data:([\w/+.-]+);base64,/.exec(data);
  const base64 = uri ? data.slice(uri[0].length) : data;
  const type = (uri?.[1] ?? mimeType).toLowerCase();
  const name = title === undefined ? 'Image' : `Image ${title}`;
  if (!supportedTypes.has(type)) return plainTextPart(`${name} has an unsupported type (${type}).`);
  if (base64.length > maxImageUnits)
    return plainTextPart(`${name} is too large to show (${megabytes(base64.length)} MB).`);
  if (base64 === '') return plainTextPart(`${name} is not in the file.`);
  return { type: 'image', mimeType: type, data: base64, ...withoutUndefined({ title }) };
}

/** Returns a link to an image. It has no title, because a file path as title would hide its target. */
export function imageLink(url: string): Part {
  return /^data:/i.test(url) ? inlineImagePart('image/png', url) : { type: 'link', uri: url };
}

/** Returns an attachment for an image. Undefined for a link or a text, because these are not shown as attachments. */
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
