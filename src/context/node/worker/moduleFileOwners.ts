/** Thrown before a file is loaded that another provider of the worker has loaded, since they would share its state. */
export class SharedFileError extends Error {
  override readonly name = 'SharedFileError';

  constructor(url: string) {
    super(`Another provider has loaded ${url}.`);
  }
}

/** Records which provider of a worker has loaded which file. */
export class ModuleFileOwners {
  private readonly ownerByUrl = new Map<string, number>();

  ownerOf(url: string | undefined): number | undefined {
    return url === undefined ? undefined : this.ownerByUrl.get(url);
  }

  /** @throws SharedFileError if another provider has loaded the file */
  record(url: string, provider: number): void {
    const owner = this.ownerByUrl.get(url);
    if (owner !== undefined && owner !== provider) throw new SharedFileError(url);
    this.ownerByUrl.set(url, provider);
  }
}
