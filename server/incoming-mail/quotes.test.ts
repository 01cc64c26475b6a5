import { expect, it } from 'vitest';
import { ownWords } from './own-words.ts';
import { parseMail } from './read-mail.ts';

const blog = 'My blog <blog@blog.example>';
const languages = ['English', 'German', 'French', 'Spanish', 'Italian', 'Dutch'] as const;

/** What separates the words of an answer from the mail that it quotes. `signature` follows the words. */
type Program = { signature: string[]; introductions: string[]; marks: boolean };

/** As the programs write it in each of the languages; made by hand. */
const programs: Record<string, Program> = {
  Gmail: {
    signature: [],
    introductions: [
      'On Thu, Nov 26, 2026 at 9:12 AM My blog <blog@blog.example>\nwrote:',
      `Am Do., 26. Nov. 2026 um 09:12 Uhr schrieb ${blog}:`,
      `Le jeu. 26 nov. 2026 à 09:12, ${blog} a écrit :`,
      'El jue, 26 nov 2026 a las 9:12, My blog (<blog@blog.example>) escribió:',
      'Il giorno gio 26 nov 2026 alle ore 09:12 My blog <blog@blog.example> ha\nscritto:',
      `Op do 26 nov 2026 om 09:12 schreef ${blog}:`,
    ],
    marks: true,
  },
  'Outlook on a computer': {
    signature: [],
    introductions: [
      `-----Original Message-----\nFrom: ${blog}\nSent: Thursday, November 26, 2026 9:12 AM\nTo: Lucy\nSubject: On rivers`,
      `-----Ursprüngliche Nachricht-----\nVon: ${blog}\nGesendet: Donnerstag, 26. November 2026 09:12\nAn: Lucy\nBetreff: On rivers`,
      `-----Message d’origine-----\nDe : ${blog}\nEnvoyé : jeudi 26 novembre 2026 09:12\nÀ : Lucy\nObjet : On rivers`,
      `-----Mensaje original-----\nDe: ${blog}\nEnviado el: jueves, 26 de noviembre de 2026 9:12\nPara: Lucy\nAsunto: On rivers`,
      `-----Messaggio originale-----\nDa: ${blog}\nInviato: giovedì 26 novembre 2026 09:12\nA: Lucy\nOggetto: On rivers`,
      `-----Oorspronkelijk bericht-----\nVan: ${blog}\nVerzonden: donderdag 26 november 2026 09:12\nAan: Lucy\nOnderwerp: On rivers`,
    ],
    marks: false,
  },
  'Outlook on a phone': {
    signature: [
      'Get Outlook for iOS<https://aka.ms/o0ukef>',
      'Outlook für iOS beziehen',
      'Envoyé à partir de Outlook pour Android',
      'Obtener Outlook para iOS',
      'Scarica Outlook per Android',
      'Download Outlook voor iOS',
    ],
    introductions: [
      `________________________________\nFrom: ${blog}\nSent: Thursday, November 26, 2026 9:12:03 AM`,
      `________________________________\nVon: ${blog}\nGesendet: Donnerstag, 26. November 2026 09:12:03`,
      `________________________________\nDe : ${blog}\nEnvoyé : jeudi 26 novembre 2026 09:12:03`,
      `De: ${blog}\nEnviado el: jueves, 26 de noviembre de 2026 9:12:03\nPara: Lucy`,
      `Da: ${blog}\nInviato: giovedì 26 novembre 2026 09:12:03\nA: Lucy`,
      `Van: ${blog}\nVerzonden: donderdag 26 november 2026 09:12:03\nAan: Lucy`,
    ],
    marks: false,
  },
  'Apple Mail': {
    signature: [
      'Sent from my iPhone',
      'Von meinem iPhone gesendet',
      'Envoyé de mon iPhone',
      'Enviado desde mi iPhone',
      'Inviato da iPhone',
      'Verstuurd vanaf mijn iPhone',
    ],
    introductions: [
      `On 26 Nov 2026, at 09:12, ${blog} wrote:`,
      `Am 26.11.2026 um 09:12 schrieb ${blog}:`,
      `Le 26 nov. 2026 à 09:12, ${blog} a écrit :`,
      `El 26 nov 2026, a las 9:12, ${blog} escribió:`,
      `Il giorno 26 nov 2026, alle ore 09:12, ${blog} ha scritto:`,
      `Op 26 nov 2026, om 09:12 heeft ${blog} het volgende geschreven:`,
    ],
    marks: true,
  },
  'K-9': {
    signature: [],
    introductions: [
      `On November 26, 2026 9:12:03 AM GMT+01:00, ${blog} wrote:`,
      `Am 26. November 2026 09:12:03 MEZ schrieb ${blog}:`,
      `Le 26 novembre 2026 09:12:03 GMT+01:00, ${blog} a écrit :`,
      `El 26 de noviembre de 2026 9:12:03 CET, ${blog} escribió:`,
      `Il 26 novembre 2026 09:12:03 CET, ${blog} ha scritto:`,
      `Op 26 november 2026 09:12:03 CET schreef ${blog}:`,
    ],
    marks: true,
  },
  'K-9 with headers': {
    signature: [],
    introductions: [
      `-------- Original Message --------\nFrom: ${blog}\nSent: November 26, 2026 9:12:03 AM GMT+01:00`,
      `-------- Ursprüngliche Nachricht --------\nVon: ${blog}\nGesendet: 26. November 2026 09:12:03 MEZ`,
      `-------- Message d'origine --------\nDe : ${blog}\nEnvoyé : 26 novembre 2026 09:12:03 GMT+01:00`,
      `-------- Mensaje original --------\nDe: ${blog}\nEnviado: 26 de noviembre de 2026 9:12:03 CET`,
      `-------- Messaggio originale --------\nDa: ${blog}\nInviato: 26 novembre 2026 09:12:03 CET`,
      `-------- Oorspronkelijk bericht --------\nVan: ${blog}\nVerzonden: 26 november 2026 09:12:03 CET`,
    ],
    marks: false,
  },
};

const samples = Object.entries(programs).flatMap(([name, { signature, introductions, marks }]) =>
  languages.map((language, index) => {
    const quoted = 'On rivers\nThey come from the hills.';
    const parts = [
      'So do I.\n\nAnd you?',
      signature[index] ?? '',
      introductions[index] ?? '',
      marks ? quoted.replaceAll(/^/gm, '> ') : quoted,
    ];
    return { name, language, text: parts.filter(part => part !== '').join('\n\n') };
  }),
);

it.each(samples)('an answer of $name in $language is cut from what it quotes', async ({ text }) => {
  const head = 'From: lucy@example.com\r\nContent-Type: text/plain; charset=utf-8\r\n';
  const { body } = await parseMail(Buffer.from(`${head}\r\n${text.replaceAll('\n', '\r\n')}\r\n`), {
    words: 'own',
  });
  expect(ownWords(body)).toBe('So do I.\n\nAnd you?');
});
