import { encodeQR } from 'qr';
import type { ReactNode } from 'react';
import '../styles/qr.css';

/** A text as a QR code, dark on light also on a dark page, because scanners expect that. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const dots = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path className="qr-paper" d={`M0 0h${rows.length}v${rows.length}H0z`} />
      <path className="qr-ink" d={dots.join('')} />
    </svg>
  );
}
