import { NodeFiles } from '../../../../src/base/node/filePort';

/** A disk of which the process is killed after some operations: from then on, nothing is written any more. */
export class KilledFiles extends NodeFiles {
  constructor(private left = Infinity) {
    super();
  }
  private count(): void {
    if (this.left-- <= 0) throw Object.assign(new Error('killed'), { code: 'EIO' });
  }
  override async makeFolder(folder: string): Promise<void> {
    this.count();
    await super.makeFolder(folder);
  }
  override async replace(file: string, text: string): Promise<void> {
    this.count();
    await super.replace(file, text);
  }
  override async createNew(file: string, text: string): Promise<boolean> {
    this.count();
    return await super.createNew(file, text);
  }
  override async moveIfExists(from: string, to: string): Promise<boolean> {
    this.count();
    return await super.moveIfExists(from, to);
  }
  override async remove(file: string): Promise<void> {
    this.count();
    await super.remove(file);
  }
  override async replaceWith(source: string, file: string): Promise<void> {
    this.count();
    await super.replaceWith(source, file);
  }
  override async writeAtAndTruncate(file: string, offset: number, bytes: Uint8Array): Promise<void> {
    this.count();
    await super.writeAtAndTruncate(file, offset, bytes);
  }
}
