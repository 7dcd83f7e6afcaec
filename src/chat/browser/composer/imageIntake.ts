import type { DraftAttachment } from '../../common/chatView';

/** Converts pasted and dropped images to attachments. */

const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const mostBytes = 5 * 1024 * 1024;

export function isImage({ type }: File): boolean {
  return type.startsWith('image/');
}

/** @throws Error with the problem and what to do */
export async function imageAttachment(file: File): Promise<DraftAttachment> {
  const title = file.name === '' ? 'Pasted image' : file.name;
  if (!types.includes(file.type)) {
    throw new Error(`“${title}” is ${file.type}. Only PNG, JPEG, GIF and WebP images are supported. Convert it first.`);
  }
  if (file.size > mostBytes) {
    const size = (file.size / 1024 / 1024).toFixed(1);
    throw new Error(`“${title}” is ${size} MB. Images can be up to 5 MB. Make it smaller first.`);
  }
  const url = await dataUrlOf(file);
  const data = url.slice(url.indexOf(',') + 1);
  return { kind: 'image', id: `image:${crypto.randomUUID()}`, title, image: { mimeType: file.type, data } };
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      if (typeof reader.result === 'string') resolve(reader.result);
    };
    reader.onerror = () => reject(new Error(`“${file.name}” could not be read. Try again.`));
    reader.readAsDataURL(file);
  });
}

/** Data types of drops with a list of URIs or paths, best first. */
const dropTypes = ['application/vnd.code.uri-list', 'text/uri-list'];

export function droppedUris(data: DataTransfer): string[] {
  const text = dropTypes.map((type) => data.getData(type)).find((found) => found !== '') ?? '';
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
