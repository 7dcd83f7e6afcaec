import { useLayoutEffect, useRef } from 'preact/hooks';
import { MarkdownElement } from './markdownElement';
import { useTranscriptContext } from '../transcriptContext';

interface MarkdownTextProps {
  readonly text: string;
  readonly isStreaming?: boolean;
}

export function MarkdownText({ text, isStreaming = false }: MarkdownTextProps) {
  const { actions } = useTranscriptContext();
  const element = useRef<HTMLDivElement>(null);
  const growing = useRef<MarkdownElement | undefined>(undefined);
  useLayoutEffect(() => {
    if (!element.current) return;
    growing.current ??= new MarkdownElement(element.current, actions);
    growing.current.showText(text, isStreaming);
  }, [text, isStreaming]);
  useLayoutEffect(() => () => growing.current?.dispose(), []);
  return <div class="markdown" dir="auto" ref={element} />;
}
