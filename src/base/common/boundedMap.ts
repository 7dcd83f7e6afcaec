interface MapLimits<V> {
  readonly maxEntries?: number;
  readonly maxWeight?: number;
  /** Returns the weight of a value. Must return the same weight each time. */
  readonly weigh?: (value: V) => number;
  /** Called with each evicted value, after it was removed. */
  readonly onEvict?: (value: V) => void;
}

/** A map with limits. Evicts entries that were set first, but never the newest. Setting a key makes it the newest. */
export class BoundedMap<K, V> extends Map<K, V> {
  private totalWeight = 0;

  constructor(private readonly limits: MapLimits<V>) {
    super();
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    this.totalWeight += this.weightOf(value);
    this.evictOldest();
    return this;
  }

  override delete(key: K): boolean {
    const value = this.get(key);
    if (value !== undefined) this.totalWeight -= this.weightOf(value);
    return super.delete(key);
  }

  override clear(): void {
    super.clear();
    this.totalWeight = 0;
  }

  private evictOldest(): void {
    const { maxEntries = Infinity, maxWeight = Infinity, onEvict } = this.limits;
    for (const [oldest, value] of this) {
      if (this.size === 1 || (this.size <= maxEntries && this.totalWeight <= maxWeight)) return;
      this.delete(oldest);
      onEvict?.(value);
    }
  }

  private weightOf(value: V): number {
    return this.limits.weigh?.(value) ?? 0;
  }
}
