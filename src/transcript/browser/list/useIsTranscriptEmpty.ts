import { useLayoutEffect, useState } from 'preact/hooks';
import type { TranscriptModel } from './transcriptModel';

export function useIsTranscriptEmpty(transcript: TranscriptModel): boolean {
  const [isEmpty, setEmpty] = useState(transcript.size === 0);
  useLayoutEffect(() => {
    const update = (): void => setEmpty(transcript.size === 0);
    update();
    const subscription = transcript.onDidChange(update);
    return () => subscription.dispose();
  }, [transcript]);
  return isEmpty;
}
