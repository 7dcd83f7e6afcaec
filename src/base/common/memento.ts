/** Small persistent key-value storage, compatible with VS Code's `Memento`. */
export interface Memento {
  get(name: string): unknown;
  update(name: string, value: unknown): PromiseLike<void>;
}
