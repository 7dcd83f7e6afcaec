import * as z from 'zod/mini';
import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Attachment, Part } from '../../../../transcript/common/entries';
import { baseName } from '../../model/fileUriPath';
import { soft } from '../../model/threadSchema';
import { plainText } from './mapped';

/** Images of a thread. Only their data is ever shown; an address is a link that the user may follow. */

/** Base64 units of an image that is shown; longer ones are named with their size. */
const maxImageUnits = 8 * 1024 * 1024;
const shownTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const text = soft(z.string());
/** In the words of Amp, of providers, and of MCP. */
const Source = z.object({
  type: text,
  mediaType: text,
  media_type: text,
  mimeType: text,
  data: text,
  url: text,
});

/** Undefined for what is no source of an image. */
export function imagePart(source: unknown, title?: string): Part | undefined {
  const parsed = Source.safeParse(source).data;
  if (parsed?.data !== undefined) {
    return dataPart(parsed.mediaType ?? parsed.media_type ?? parsed.mimeType ?? 'image/png', parsed.data, title);
  }
  if (parsed?.url === undefined) return undefined;
  return imageLink(parsed.url);
}

/** `data` is base64, with or without the beginning of a data URI. */
export function dataPart(mimeType: string, data: string, title?: string): Part {
  const uri = /^data:([\w/+.-]+);base64,/.exec(data);
  const bare = uri ? data.slice(uri[0].length) : data;
  const type = (uri?.[1] ?? mimeType).toLowerCase();
  const name = title === undefined ? 'Image' : `Image ${title}`;
  if (!shownTypes.has(type)) return plainText(`${name} is of a type that is not shown (${type}).`);
  if (bare.length > maxImageUnits) return plainText(`${name} is too large to be shown (${megabytes(bare.length)} MB).`);
  if (bare === '') return plainText(`${name} is not in the file.`);
  return { type: 'image', mimeType: type, data: bare, ...withoutUndefined({ title }) };
}

/** A link has no other words than its address: the path of a file would say that it leads there. */
export function imageLink(url: string): Part {
  return /^data:/i.test(url) ? dataPart('image/png', url) : { type: 'link', uri: url };
}

/** Undefined for what is shown beside the prompt and not with it: a link, a remark. */
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
