import { Mic } from 'lucide-react';
import { useRef, useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { useIsInBrowser } from '../../ui/use-is-in-browser.ts';
import { useScript } from '../../ui/use-script.ts';

type VoiceButtonProps = {
  isOff: boolean;
  /** Called when a recording begins that would be lost, and when it ends. */
  onActive(isActive: boolean): void;
  onRecorded(file: File): void;
};

/** Opens the recorder of a voice message, if this browser can record. */
export function VoiceButton({ isOff, onActive, onRecorded }: VoiceButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isInBrowser = useIsInBrowser();
  const [isOpen, setOpen] = useState(false);
  const { View: Recorder, hasFailed, load } = useScript(() => import('./recorder.tsx'));
  const canRecord =
    isInBrowser && typeof MediaRecorder === 'function' && navigator.mediaDevices !== undefined;
  if (!canRecord) return null;
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="button"
        disabled={isOff}
        aria-expanded={isOpen}
        onClick={async () => setOpen(await load())}
      >
        <Mic aria-hidden="true" /> Record a voice message
      </button>
      {hasFailed && <Notice text="Failed to load the recorder. Please try again." />}
      {isOpen && Recorder !== undefined && (
        <Recorder
          onActive={onActive}
          onRecorded={file => {
            onRecorded(file);
            close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
