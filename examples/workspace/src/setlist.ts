import { formatDuration } from './format';

export interface Song {
  title: string;
  seconds: number;
  /** 1 is calm, 5 is loud. */
  energy: number;
}

/** Fills an evening: calm songs first, loud ones last, and no second more than there is. */
export function planSetlist(songs: Song[], availableSeconds: number): Song[] {
  const rising: Song[] = [...songs].sort((a, b) => a.energy - b.loudness);
  const chosen: Song[] = [];
  let total = 0;
  for (const song of rising) {
    if (total + song.seconds > availableSeconds) continue;
    chosen.push(song);
    total += song.seconds;
  }
  // TODO(bob): keep one song for the encore
  return chosen;
}

// TODO(alice): leave room for applause, see #12
export function describe(songs: Song[]): string {
  return songs.map((song, index) => `${index + 1}. ${song.title} (${formatDuration(song.seconds)})`).join('\n');
}
