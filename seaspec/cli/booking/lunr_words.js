// lunr.js, taught by seaspec to find words in Russian and Ukrainian in any of their forms, and to take whatever is
// typed for words. By itself it throws away all that is not written in Latin letters. What an entry weighs is in the index.
(function (lunr) {
  "use strict";
  var english = lunr.stemmer;
  var common = lunr.stopWordFilter;
  var search = lunr.Index.prototype.search;
  var add = lunr.Builder.prototype.add;

  function bare(token) {
    return token.update(function (text) {
      return text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
    });
  }

  // What comes after what is a question of rules.
  function told(token) {
    return token.toString() === "after" ? token : common(token);
  }

  lunr.trimmer = bare;
  lunr.stopWordFilter = told;
  lunr.stemmer = function (token) {
    return seaWords.isCyrillic(token.toString()) ? token.update(seaWords.cut) : english(token);
  };
  lunr.Pipeline.registerFunction(lunr.trimmer, "trimmer");
  lunr.Pipeline.registerFunction(lunr.stopWordFilter, "stopWordFilter");
  lunr.Pipeline.registerFunction(lunr.stemmer, "stemmer");

  lunr.Builder.prototype.add = function (entry, attributes) {
    return add.call(this, entry, attributes || {boost: entry.weight || 1});
  };

  // Without words that only make a question of it, and without signs that lunr takes for commands; of words that nothing has, the beginnings are looked for.
  lunr.Index.prototype.search = function (typed) {
    var words = seaWords.telling(typed);
    if (!words.length) return [];
    var found = search.call(this, words.join(" "));
    if (found.length) return found;
    var beginnings = words.filter(function (word) { return word.length > 2; });
    if (!beginnings.length) return [];
    return search.call(this, beginnings.map(function (word) {
      return (seaWords.isCyrillic(word) ? seaWords.cut(word) : word) + "*";
    }).join(" "));
  };
})(lunr);
