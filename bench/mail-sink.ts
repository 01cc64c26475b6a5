import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server in a process of its own that takes everything, and tells its port. */
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData: (stream, _session, callback) => {
    stream.resume();
    stream.once('end', () => callback());
  },
});
// The bench ends its connections as it likes.
server.on('error', () => {});
const listening = server.listen(0, '127.0.0.1');
await once(listening, 'listening');
process.on('disconnect', () => process.exit());
process.send?.((listening.address() as AddressInfo).port);
