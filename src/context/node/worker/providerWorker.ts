import type { Transferable } from 'node:worker_threads';
import { messageOf } from '../../../base/common/errors';
import { handshakeMethod, itemsMethod, readCapabilities } from '../../common/dialects';
import { readItems } from '../../common/itemReader';
import { readShared } from '../textSharer';
import { workerRequest, type WorkerMessage, type WorkerRequest, type WorkerStart } from '../workerMessages';
import { loadProvider, type LoadedProvider } from './providerModule';

const longestMessage = 2_000;
const mostFiles = 1_000;

/** Answers requests with what the provider says, checked and packed where it does not cost the window anything. */
export class ProviderWorker {
  private provider: Promise<LoadedProvider> | undefined;
  private readonly files = new Set<string>();
  private toldFiles = 0;

  constructor(
    private readonly start: WorkerStart,
    private readonly post: (message: WorkerMessage, transfer?: Transferable[]) => void,
  ) {}

  noteFile(url: string): void {
    if (this.files.size < mostFiles) this.files.add(url);
  }

  trouble(message: string): void {
    this.post({ kind: 'trouble', message: message.slice(0, longestMessage) });
  }

  /** Never rejects. */
  async handle(message: unknown): Promise<void> {
    const request = workerRequest.parse(message);
    let isModule = true;
    try {
      this.provider ??= loadProvider(this.start);
      const provider = await this.provider;
      isModule = false;
      await this.answer(request, provider);
    } catch (error) {
      const text = messageOf(error).slice(0, longestMessage);
      this.post({ kind: 'failed', id: request.id, message: text, isModule });
    }
    this.tellFiles();
  }

  private async answer(request: WorkerRequest, { dialect, call }: LoadedProvider): Promise<void> {
    const { id, settings } = request;
    if (request.method === 'capabilities') {
      const capabilities = readCapabilities(dialect, await call(handshakeMethod(dialect), {}, settings));
      this.post({ kind: 'capabilities', id, capabilities });
      return;
    }
    const params = { uri: request.uri, content: readShared(request.text) };
    const packed = readItems(await call(itemsMethod(dialect), params, settings));
    this.post({ kind: 'items', id, packed }, [packed.ranges.buffer, packed.texts.buffer]);
  }

  private tellFiles(): void {
    if (this.files.size === this.toldFiles) return;
    this.toldFiles = this.files.size;
    this.post({ kind: 'files', urls: [...this.files] });
  }
}
