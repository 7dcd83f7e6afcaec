import { getHeapStatistics } from 'node:v8';
import type { Transferable } from 'node:worker_threads';
import { messageOf } from '../../../base/common/errors';
import type { ProviderCapabilities } from '../../common/providers/contextProvider';
import {
  abilitiesOfFunctions,
  handshakeMethod,
  hasDocumentSelectors,
  itemsMethod,
  readCapabilities,
} from '../../common/providers/dialects';
import { readItems } from '../../common/items/itemReader';
import { ProviderError } from '../../common/providers/providerError';
import { toLookupParams, readMentions } from '../../common/ai/providerMention';
import type { PackedItems } from '../../common/items/packedItems';
import { readSharedText } from '../textSharer';
import {
  maxModuleFiles,
  workerRequest,
  type HashedModuleFile,
  type WorkerMessage,
  type WorkerRequest,
  type WorkerStart,
} from '../providerWorkerMessages';
import type { ModuleLoadGuard } from './loadGuard';
import { loadWithoutRunning } from './moduleHooks';
import { loadProvider, importSpecifierOf, type LoadedProvider } from './providerModule';
import { describeThrown, type ThrownDescription } from './thrown';

/** Minimum change of memory usage that is reported, in bytes. */
const memoryStep = 8 * 1_024 * 1_024;

/** Runs one provider and answers requests. Validates and packs results, to reduce the work of the extension host. */
export class ProviderWorker {
  private provider: Promise<LoadedProvider> | undefined;
  private readonly files = new Set<string>();
  private reportedFileCount = 0;
  private reportedMemory = 0;

  constructor(
    private readonly start: WorkerStart,
    private readonly guard: ModuleLoadGuard | undefined,
    private readonly post: (message: WorkerMessage, transfer?: Transferable[]) => void,
  ) {}

  recordLoadedFile(url: string): void {
    if (this.files.size < maxModuleFiles) this.files.add(url);
  }

  reportUncaught(thrown: unknown): void {
    this.post({ kind: 'trouble', details: describeThrown(thrown).details });
  }

  /** Reports the memory usage. The extension host checks it, because the limits of workers do not include buffers. */
  reportMemory(): void {
    // `arrayBuffers` of the process would also include buffers that were transferred with answers.
    const bytes = getHeapStatistics().external_memory;
    if (Math.abs(bytes - this.reportedMemory) < memoryStep) return;
    this.reportedMemory = bytes;
    this.post({ kind: 'memory', bytes });
  }

  /** Handles a message from the extension host. Never rejects. */
  async handleMessage(message: unknown): Promise<void> {
    const request = workerRequest.parse(message);
    let isModule = true;
    try {
      if (request.method === 'survey') {
        const files = await this.listModuleFiles();
        this.reportFiles();
        this.post({ kind: 'survey', id: request.id, files });
        return;
      }
      if (this.guard?.isClosed === false) throw new ProviderError('Its files were not checked before it was called.');
      this.provider ??= loadProvider(this.start);
      const provider = await this.provider;
      isModule = false;
      const post = await this.prepareAnswer(request, provider);
      // Memory is reported first, so that a worker that uses too much is stopped for this reason.
      this.reportMemory();
      // The extension host watches the files after the provider has answered, and after loading has failed.
      this.reportFiles();
      post();
    } catch (error) {
      this.reportFiles();
      const thrown: Partial<ThrownDescription> = error instanceof ProviderError ? {} : describeThrown(error);
      const { message = messageOf(error), details } = thrown;
      this.post({ kind: 'failed', id: request.id, message, isModule, ...(details === undefined ? {} : { details }) });
    }
  }

  private async listModuleFiles(): Promise<HashedModuleFile[]> {
    if (!this.guard) return [];
    await loadWithoutRunning(importSpecifierOf(this.start));
    return [...this.guard.close()];
  }

  /** Handles a request. @returns a function that sends the answer */
  private async prepareAnswer(
    request: Exclude<WorkerRequest, { method: 'survey' }>,
    provider: LoadedProvider,
  ): Promise<() => void> {
    const { id, settings } = request;
    const { call } = provider;
    switch (request.method) {
      case 'capabilities': {
        const capabilities = await capabilitiesOf(provider, settings);
        return () => this.post({ kind: 'capabilities', id, capabilities });
      }
      case 'items': {
        const params = { uri: request.uri, content: readSharedText(request.text) };
        const result = await call(itemsMethod(provider.dialect), params, settings);
        return this.createItemsPoster(id, readItems(result, request.uri));
      }
      case 'mentions': {
        const mentions = readMentions(await call('mentions', request.params, settings));
        return () => this.post({ kind: 'mentions', id, mentions });
      }
      case 'lookUp':
        return this.createItemsPoster(
          id,
          readItems((await call('items', toLookupParams(request.lookup), settings)) ?? []),
        );
    }
  }

  private createItemsPoster(id: number, packed: PackedItems): () => void {
    return () => this.post({ kind: 'items', id, packed }, [packed.ranges.buffer, packed.texts.buffer]);
  }

  private reportFiles(): void {
    if (this.files.size === this.reportedFileCount) return;
    this.reportedFileCount = this.files.size;
    this.post({ kind: 'files', urls: [...this.files] });
  }
}

async function capabilitiesOf({ dialect, has, call }: LoadedProvider, settings: object): Promise<ProviderCapabilities> {
  const introduction = readCapabilities(dialect, await call(handshakeMethod(dialect), {}, settings));
  const { annotations, ...abilities } = abilitiesOfFunctions(dialect, has);
  return {
    ...introduction,
    abilities: { ...abilities, annotations: annotations && hasDocumentSelectors(introduction) },
  };
}
