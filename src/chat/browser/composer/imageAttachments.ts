import type { DraftAttachment } from '../../common/chatView';

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const maxImageBytes = 5 * 1024 * 1024;

export function isImageFile({ type }: File): boolean {
  return type.startsWith('image/');
}

/** @throws Error with a message that explains what is wrong and what to do */
export async function createImageAttachment(file: File): Promise<DraftAttachment> {
  const title = file.name === '' ? 'Pasted image' : file.name;
  if (!imageTypes.includes(file.type)) {
    throw new Error(`“${title}” is ${file.type}. Only PNG, JPEG, GIF and WebP images are supported. Convert it first.`);
  }
  if (file.size > maxImageBytes) {
    const size = (file.size / 1024 / 1024).toFixed(1);
    throw new Error(`“${title}” is ${size} MB. Images can be up to 5 MB. Make it smaller first.`);
  }
  const url = await readAsDataUrl(file);
  const data = url.slice(url.indexOf(',') + 1);
  return { kind: 'image', id: `image:${crypto.randomUUID()}`, title, image: { mimeType: file.type, data } };
}

function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      if (typeof reader.result === 'string') resolve(reader.result);
    };
    reader.onerror = () => reject(new Error(`“${file.name}” could not be read. Try again.`));
    reader.readAsDataURL(file);
  });
}

/** Data types of drag and drop with a list of URIs or paths, the best type first. */
const uriListTypes = ['application/vnd.code.uri-list', 'text/uri-list'];

export function parseDroppedUris(data: DataTransfer): string[] {
  const text = uriListTypes.map((type) => data.getData(type)).find((found) => found !== '') ?? '';
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
