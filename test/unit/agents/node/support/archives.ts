import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { packTar, type TarHeader } from 'modern-tar';

export interface ArchivedFile {
  readonly name: string;
  readonly text?: string;
  readonly mode?: number;
  readonly type?: TarHeader['type'];
  readonly linkname?: string;
}

/** A .tar.gz, with whatever names and types are asked for. */
export async function makeTarGz(files: readonly ArchivedFile[]): Promise<Buffer> {
  const entries = files.map(({ name, text = '', mode = 0o644, type = 'file', linkname }) => ({
    header: { name, mode, type, size: Buffer.byteLength(text), ...(linkname === undefined ? {} : { linkname }) },
    body: text,
  }));
  return gzipSync(await packTar(entries));
}

/** A .zip, with whatever names and types are asked for. */
export function makeZip(files: readonly (ArchivedFile & { readonly claimedSize?: number })[]): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, text = '', mode = 0o644, type = 'file', claimedSize } of files) {
    const [nameBytes, data] = [Buffer.from(name), Buffer.from(text)];
    const packed = deflateRawSync(data);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize ?? data.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const fileType = type === 'symlink' ? 0o120_000 : type === 'character-device' ? 0o020_000 : 0o100_000;
    const attributes = ((fileType | mode) << 16) >>> 0;
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, nameBytes, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(attributes, 6);
    tail.writeUInt32LE(offset, 10);
    // Made by Unix, whose modes count.
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, tail, nameBytes]));
    parts.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, directory, Buffer.from('PK\x05\x06'), end]);
}
