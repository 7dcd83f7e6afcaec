/** Loads a view whenever it may have changed and sends only the newest: an older one that takes longer is not sent after it. */
export class NewestView<View> {
  private count = 0;

  constructor(
    private readonly load: () => Promise<View>,
    private readonly send: (view: View) => void,
  ) {}

  /** Resolves when the view has been loaded. Rejects as `load` does. */
  async show(): Promise<void> {
    const number = ++this.count;
    const view = await this.load();
    if (number === this.count) this.send(view);
  }
}
