import { useLayoutEffect, useState } from 'preact/hooks';

interface Selection {
  /** Ids of the selected conversations. */
  readonly ids: ReadonlySet<string>;
  readonly clear: () => void;
  readonly toggle: (id: string) => void;
  /** Selects all from the one where the selection began to this one, in the order that is shown. */
  readonly extendTo: (id: string, from: string | undefined, shown: readonly string[]) => void;
  readonly selectAll: (shown: readonly string[]) => void;
}

/** Which conversations the user has selected, to do something with all of them. Those that `exists` denies are dropped. */
export function useSelection(exists: (id: string) => boolean): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string>();
  const ids = [...selected].every(exists) ? selected : new Set([...selected].filter(exists));
  // A row that comes back, for example by Undo, is not selected.
  useLayoutEffect(() => {
    if (ids !== selected) setSelected(ids);
  });
  return {
    ids,
    clear: () => {
      setAnchor(undefined);
      if (selected.size > 0) setSelected(new Set());
    },
    toggle: (id) => {
      const changed = new Set(ids);
      if (!changed.delete(id)) changed.add(id);
      setAnchor(id);
      setSelected(changed);
    },
    extendTo: (id, from, shown) => {
      // A row that was deleted, or is in a collapsed group, is where no range begins.
      const start = [anchor, from].find((key) => key !== undefined && shown.includes(key)) ?? id;
      const [first = 0, last = 0] = [shown.indexOf(start), shown.indexOf(id)].sort((one, other) => one - other);
      setAnchor(start);
      setSelected(new Set(shown.slice(first, last + 1)));
    },
    selectAll: (shown) => setSelected(new Set(shown)),
  };
}
