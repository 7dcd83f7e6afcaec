import * as z from 'zod/mini';
import type { VsCodeApi } from '../../webview/browser/hostConnection';

const Members = z.record(z.string(), z.unknown());

/** What a page keeps over a reload. Each part of the page keeps members of its own. */
export class PageMemory {
  constructor(private readonly api: Pick<VsCodeApi, 'getState' | 'setState'>) {}

  /** Of any shape: it may be a former version's. */
  get all(): Readonly<Record<string, unknown>> {
    return Members.safeParse(this.api.getState()).data ?? {};
  }

  /** The other members stay. */
  keep(members: Readonly<Record<string, unknown>>): void {
    this.api.setState({ ...this.all, ...members });
  }
}
