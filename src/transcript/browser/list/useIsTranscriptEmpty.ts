import { useLayoutEffect, useState } from 'preact/hooks';
import type { TranscriptModel } from './transcriptModel';

export function useIsTranscriptEmpty(transcript: TranscriptModel): boolean {
  const [isEmpty, setEmpty] = useState(transcript.size === 0);
  useLayoutEffect(() => {
    const look = (): void => setEmpty(transcript.size === 0);
    look();
    const subscription = transcript.onDidChange(look);
    return () => subscription.dispose();
  }, [transcript]);
  return isEmpty;
}
