import { Client } from 'pg';
import { createId } from '../server/id.ts';

/** A database of its own on a server: empty, or a copy of another one that nobody uses meanwhile. */
export async function createPostgresDatabase(
  server: string,
  copied = 'template1',
): Promise<{ name: string; url: string; drop(): Promise<void> }> {
  const name = `test_${createId().toLowerCase().replaceAll('-', '_')}`;
  await query(server, `create database "${name}" template "${copied}"`);
  return {
    name,
    url: `${server}/${name}`,
    drop: () => query(server, `drop database "${name}" with (force)`),
  };
}

async function query(server: string, sql: string): Promise<void> {
  const client = new Client(`${server}/postgres`);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
