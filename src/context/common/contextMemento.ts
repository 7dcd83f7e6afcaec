/** Where what the user chose is kept; VS Code's `Memento` is one. */
export interface ContextMemento {
  get(name: string): unknown;
  update(name: string, value: unknown): PromiseLike<void>;
}
