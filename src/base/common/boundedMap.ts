interface MapLimits<V> {
  readonly maxEntries?: number;
  /** Of what `weigh` says of all values together. */
  readonly maxWeight?: number;
  /** Says the same of a value each time. */
  readonly weigh?: (value: V) => number;
  /** Gets each value that makes room, after it has gone. */
  readonly onEvict?: (value: V) => void;
}

/**
 * A map in which what was set longest ago makes room. To set a value again makes it the newest; to get it does not. The
 * newest one stays, however heavy it is.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  private weight = 0;

  constructor(private readonly limits: MapLimits<V>) {
    super();
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    this.weight += this.weightOf(value);
    this.makeRoom();
    return this;
  }

  override delete(key: K): boolean {
    const value = this.get(key);
    if (value !== undefined) this.weight -= this.weightOf(value);
    return super.delete(key);
  }

  override clear(): void {
    super.clear();
    this.weight = 0;
  }

  private makeRoom(): void {
    const { maxEntries = Infinity, maxWeight = Infinity, onEvict } = this.limits;
    for (const [oldest, value] of this) {
      if (this.size === 1 || (this.size <= maxEntries && this.weight <= maxWeight)) return;
      this.delete(oldest);
      onEvict?.(value);
    }
  }

  private weightOf(value: V): number {
    return this.limits.weigh?.(value) ?? 0;
  }
}
