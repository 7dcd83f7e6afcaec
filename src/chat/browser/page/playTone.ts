const durationS = 0.4;

/** Plays two short notes. Stays silent where the browser plays no sound before the first click in the page. */
export function playTone(): void {
  const audio = new AudioContext();
  const gain = audio.createGain();
  gain.connect(audio.destination);
  gain.gain.setValueAtTime(0.1, 0);
  gain.gain.exponentialRampToValueAtTime(0.001, durationS);
  const tone = audio.createOscillator();
  tone.frequency.setValueAtTime(660, 0);
  tone.frequency.setValueAtTime(880, durationS / 3);
  tone.connect(gain);
  tone.start();
  // Also ends what a later click would play too late.
  setTimeout(() => void audio.close(), durationS * 1_000 * 2);
}
