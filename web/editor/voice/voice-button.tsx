import { Mic } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';

const Recorder = lazy(() => import('./recorder.tsx'));

type VoiceButtonProps = { isOff: boolean; onRecorded(file: File): void };

/** Opens the recorder of a voice message, where this browser can record. */
export function VoiceButton({ isOff, onRecorded }: VoiceButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isThere, setThere] = useState(false);
  const [isOpen, setOpen] = useState(false);
  // The server does not know what the browser can.
  useEffect(() => setThere(typeof MediaRecorder === 'function' && navigator.mediaDevices !== undefined), []);
  if (!isThere) return null;
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
        onClick={() => setOpen(true)}
      >
        <Mic aria-hidden="true" /> Record a voice message
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Recorder
            onRecorded={file => {
              onRecorded(file);
              close();
            }}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}
