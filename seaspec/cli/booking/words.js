// Words as they are looked for: any form of a Russian or Ukrainian noun or adjective is told by what is left of it.
// There is no stemmer of Ukrainian to be had. This one takes endings off for as long as three letters stay, then the
// vowel that comes and goes before the last consonant (вітер, вітру; острів, острова; пушка, пушек). It puts some words
// together that have nothing to do with each other, and that is no harm: what is typed and what is found are cut alike.
var seaWords = (function () {
  "use strict";
  var ENDINGS = new RegExp("(.{3,}?)(?:" +
    "ами|ями|ого|его|ому|ему|ыми|ими|ього|ьому|ові|еві|єві|" +
    "ах|ях|ам|ям|ом|ем|єм|ов|ев|ів|їв|ей|ою|ею|єю|ий|ый|ой|ій|ая|яя|ое|ее|ые|ие|ых|их|іх|їх|ую|юю|ым|им|ім|їм|ої|" +
    "а|я|о|е|є|ы|и|і|ї|у|ю|ь|й)$");
  var COMES_AND_GOES = /^(.+)[еєоії]([бвгґджзйклмнпрстфхцчшщ])$/;

  var ASKING = /^(what|who|whom|whose|when|where|which|why|how|many|much|happens?|may|can|could|must|do|does|is|are|one|a|an|the|i|to|of|if|it|my)$/;

  // The words of a text, without what stands around them.
  function parted(text) {
    return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’ʼ._][\p{L}\p{N}]+)*/gu) || [];
  }

  // The words of a question, without those that only make a question of it.
  function telling(text) {
    var all = parted(text);
    var found = all.filter(function (word) { return !ASKING.test(word); });
    return found.length ? found : all;
  }

  function isCyrillic(word) {
    return /[\u0400-\u04ff]/.test(word);
  }

  function cut(word) {
    var left = word.replace(/ё/g, "е").replace(/['’ʼ]/g, "");
    for (var before = ""; before !== left;) {
      before = left;
      left = left.replace(ENDINGS, "$1");
    }
    return left.replace(COMES_AND_GOES, "$1$2");
  }

  return {parted: parted, telling: telling, isCyrillic: isCyrillic, cut: cut};
})();
