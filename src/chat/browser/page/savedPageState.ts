import * as z from 'zod/mini';
import type { VsCodeApi } from '../../../webview/browser/hostConnection';

const StateRecord = z.record(z.string(), z.unknown());

/** Values that a page keeps across reloads. Each part of the page has its own members. */
export class SavedPageState {
  constructor(private readonly vsCodeApi: Pick<VsCodeApi, 'getState' | 'setState'>) {}

  /** The saved values, not validated: an earlier version may have written them. */
  get values(): Readonly<Record<string, unknown>> {
    return StateRecord.safeParse(this.vsCodeApi.getState()).data ?? {};
  }

  save(changedValues: Readonly<Record<string, unknown>>): void {
    this.vsCodeApi.setState({ ...this.values, ...changedValues });
  }
}
