/** Where something small is kept over a reload; VS Code's `Memento` is one. */
export interface Memento {
  get(name: string): unknown;
  update(name: string, value: unknown): PromiseLike<void>;
}
