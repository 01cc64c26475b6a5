import { expect, it } from 'vitest';
import { withoutShortcodes } from './generators.ts';

const plain = (text: string) => withoutShortcodes(text).content;

it('figures, videos and code of Hugo become Markdown', () => {
  expect(plain('{{< figure src="a b.png" alt="A hill" caption="The hill" >}}')).toBe(
    '![A hill](a%20b.png)\n\n*The hill*',
  );
  expect(plain('{{<youtube abc-1>}}')).toBe('<https://www.youtube.com/watch?v=abc-1>');
  expect(plain('{{< vimeo 12 >}}')).toBe('<https://vimeo.com/12>');
  expect(plain('[b]({{< ref "b.md" >}})')).toBe('[b](b.md)');
  expect(plain('{{< video src="boat.mp4" >}}')).toBe('[Video: boat.mp4](boat.mp4)');
  expect(plain('{{< highlight go "linenos=table" >}}\na < b\n{{< /highlight >}}')).toBe('```go\na < b\n```');
  expect(plain('{{% details summary="More" %}}\nInside.\n{{% /details %}}')).toBe(
    '<details>\n<summary>More</summary>\n\nInside.\n\n</details>',
  );
});

it('signs of Jekyll become Markdown', () => {
  expect(plain('![]({{ site.baseurl }}/a.png) ![]({{ "/b.png" | relative_url }})')).toBe(
    '![](/a.png) ![](/b.png)',
  );
  expect(plain('[x]({% post_url 2020-01-02-walk %})')).toBe('[x](/_posts/2020-01-02-walk.md)');
  expect(plain('{% highlight ruby linenos %}\nputs "```"\n{% endhighlight %}')).toBe(
    '````ruby\nputs "```"\n````',
  );
  expect(plain('a{% comment %}hidden{% endcomment %}b')).toBe('ab');
});

it('code shows the signs as they are, and a theme’s own stay, with their names', () => {
  const code = '```\n{{< youtube abc >}}\n```\n\n`{{ site.url }}`';
  expect(withoutShortcodes(code)).toEqual({ content: code, notes: [] });
  expect(withoutShortcodes('{{< mine a="b" >}} {% other %}')).toEqual({
    content: '{{< mine a="b" >}} {% other %}',
    notes: ['these shortcodes stay as words: mine, other'],
  });
});

const repeated = (words: string) => words.repeat(2_000_000 / words.length);
const growing = Array.from({ length: 1_000 }, (_, length) => '`'.repeat(length)).join(' ');

it.each([
  ['values', '{{<0\t-\t=', repeated('/\t0\t=')],
  ['words and values', '{{<0 ', repeated('a = "x" '), '"'],
  ['spaces', '{{<', repeated(' ')],
  ['names', repeated('{{<0 ')],
  ['openings of a pair', repeated('{{<highlight a>}}')],
  ['ends in quotation marks', '{{<details "', repeated('>}}"')],
  ['Jekyll’s code', repeated('{% highlight a %}')],
  ['a language', '{% highlight ', repeated('a')],
  ['comments', repeated('{% comment %}')],
  ['spaces after a filter', '{{ "a" | prepend:', repeated(' ')],
  ['filters', repeated('{{"a"|prepend:')],
  ['a row of backticks', '{{\n', repeated('`')],
  ['backticks and words', '{{ ', repeated('`'), repeated('x')],
  ['ever more backticks', '{{ ', growing],
])('shortcodes and code that never end are read in time linear in their length: %s', (_, ...parts) => {
  const text = parts.join('');
  expect(plain(text) === text).toBe(true);
});

it('a shortcode ends at the first end outside of quotation marks, and none begins within another', () => {
  expect(plain('{{< figure src="a{{<b.png" alt="5>}}" />}}{{< vimeo 12 >}}')).toBe(
    '![5>}}](a%7B%7B%3Cb.png)<https://vimeo.com/12>',
  );
  expect(plain('{{< highlight go >}}\n{{< x "\n{{< /highlight >}} "')).toBe('```go\n{{< x "\n``` "');
  expect(plain('{{< details {{< vimeo 12 >}}')).toBe('{{< details <https://vimeo.com/12>');
});

it('code is what stands between equal numbers of backticks without a blank line, or in a fence, also one without an end', () => {
  for (const code of [
    '`` ` {{<vimeo 1>}} ``',
    '`\n{{<vimeo 1>}}`',
    '~~~~\n~~~\n{{<vimeo 1>}}\n~~~~ ',
    '   ```x\n{{<vimeo 1>}}',
  ])
    expect(plain(code)).toBe(code);
  const video = '<https://vimeo.com/1>';
  expect(plain('`` {{<vimeo 1>}} `')).toBe(`\`\` ${video} \``);
  expect(plain('` {{<vimeo 1>}}\n\n`')).toBe(`\` ${video}\n\n\``);
  expect(plain('```\n```\n{{<vimeo 1>}}')).toBe(`\`\`\`\n\`\`\`\n${video}`);
});
