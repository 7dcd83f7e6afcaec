import { inflateRawSync } from 'node:zlib';
import * as z from 'zod';

const manifest = z.looseObject({ publisher: z.string(), name: z.string(), version: z.string() });
const entryName = 'extension/package.json';
const maxBytes = 4 * 1024 * 1024;

/**
 * @param {Buffer} vsix
 * @returns {{ publisher: string, name: string, version: string }} what is published when this package is
 * @throws {Error} for anything but a package
 */
export function manifestOfVsix(vsix) {
  try {
    return manifest.parse(JSON.parse(readEntry(vsix, entryName).toString('utf8')));
  } catch (error) {
    throw new Error('This is no package of an extension: make one with npm run package', { cause: error });
  }
}

/**
 * A .vsix is a ZIP archive: its directory is at the end, and says where each file begins.
 * @param {Buffer} zip
 * @param {string} wanted
 */
function readEntry(zip, wanted) {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error('not a ZIP archive');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const nameEnd = at + 46 + (nameLength ?? 0);
    if (zip.toString('utf8', at + 46, nameEnd) === wanted) return readBytes(zip, at);
    at = nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
  }
  throw new Error(`no ${wanted}`);
}

/**
 * @param {Buffer} zip
 * @param {number} entry where its line of the directory is
 */
function readBytes(zip, entry) {
  const [method, size, header] = [
    zip.readUInt16LE(entry + 10),
    zip.readUInt32LE(entry + 20),
    zip.readUInt32LE(entry + 42),
  ];
  // The file's own header may have more beside its name than the directory has.
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const bytes = zip.subarray(start, start + size);
  return method === 0 ? bytes : inflateRawSync(bytes, { maxOutputLength: maxBytes });
}
