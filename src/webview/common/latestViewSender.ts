/** Loads and sends a view. If loads overlap, only the result of the latest one is sent. */
export class LatestViewSender<View> {
  private loadCount = 0;

  constructor(
    private readonly load: () => Promise<View>,
    private readonly send: (view: View) => void,
  ) {}

  /** Loads and sends the view. Rejects if `load` rejects. */
  async loadAndSend(): Promise<void> {
    const number = ++this.loadCount;
    const view = await this.load();
    if (number === this.loadCount) this.send(view);
  }
}
